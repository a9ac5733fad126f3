"""The live page and the scoreboard on a terminal."""
