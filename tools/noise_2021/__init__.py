"""The noise study of 2021 as printed, and its conclusions as questions to a run of it."""
