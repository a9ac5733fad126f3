"""Small networks, the same in every format, and a writer of R's serialisation for the tests."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from dagathlon.data import Gaussian, Network, Table
from dagathlon.data.networks import bif, compact


def weather() -> Network:
    """Two parents of different size and a child with three levels: every order shows."""
    return Network(
        {
            "rain": Table(("yes", "no"), (), [0.2, 0.8]),
            "wind": Table(
                ("calm", "breeze", "storm"), ("rain",), [[0.1, 0.3, 0.6], [0.5, 0.3, 0.2]]
            ),
            "mood": Table(
                ("good", "fair", "bad"),
                ("rain", "wind"),
                [
                    [[0.3, 0.3, 0.4], [0.25, 0.25, 0.5], [0.0, 0.125, 0.875]],
                    [[1.0, 0.0, 0.0], [0.75, 0.2, 0.05], [0.5, 0.4, 0.1]],
                ],
            ),
        }
    )


def mixed() -> Network:
    """Discrete, Gaussian and conditional Gaussian nodes."""
    return Network(
        {
            "sex": Table(("f", "m"), (), [0.5, 0.5]),
            "group": Table(("a", "b", "c"), (), [0.2, 0.3, 0.5]),
            "height": Gaussian((), [165.0, 178.0], np.zeros((2, 0)), [6.0, 7.0], ("sex",)),
            "age": Gaussian((), 40.0, [], 10.0),
            "weight": Gaussian(
                ("height", "age"),
                [[-60.0, -61.0, -62.0], [-70.0, -71.0, -72.0]],
                np.arange(12, dtype=float).reshape(2, 3, 2) / 10,
                [[5.0, 6.0, 7.0], [8.0, 9.0, 10.0]],
                ("sex", "group"),
            ),
            "score": Gaussian(("weight", "age"), 1.5, [2.0, -0.5], 0.25),
        }
    )


DSC = b"""belief network "weather"
node mood {
  name: "how it feels";
  type : discrete [ 3 ] = { "good", "fair", "bad" };
  position : (10, 20);
}
node rain { type : discrete [ 2 ] = { "yes", "no" }; }
node wind { type : discrete [ 3 ] = { "calm", "breeze", "storm" }; }
// tables may come in any order
probability ( mood | rain, wind ) {
  (1, 0) : 1.0, 0.0, 0.0;
  (0, 0) : 0.3, 0.3, 0.4;
  (0, 1) : 0.25, 0.25, 0.5;
  (0, 2) : 0.0, 0.125, 0.875;
  (1, 2) : 0.5, 0.4, 0.1;
  default : 0.75, 0.2, 0.05;
}
probability ( rain ) { 0.2, 0.8; }
probability ( wind | rain ) {
  (0) : 0.1, 0.3, 0.6; /* wet */
  (1) : 0.5, 0.3, 0.2;
}
"""

OLD_BIF = b"""// the oldest form: quoted names, no bar, one table
network "Weather" { property "a ; b"; }
variable "rain" { type discrete[2] { "yes" "no" }; property "position = (1, 2)"; }
variable "wind" { type discrete[3] { "calm" "breeze" "storm" }; }
variable "mood" { type discrete[3] { "good" "fair" "bad" }; }
probability ( "rain" ) { table 0.2 0.8; }
probability ( "wind" "rain" ) { table 0.1 0.5 0.3 0.3 0.6 0.2; }
probability ( "mood" "rain" "wind" ) {
  default 0.3 0.3 0.4;
  ("yes" "breeze") 0.25 0.25 0.5;
  ("yes" "storm") 0.0 0.125 0.875;
  ("no" "calm") 1.0 0.0 0.0;
  ("no" "breeze") 0.75 0.2 0.05;
  ("no" "storm") 0.5 0.4 0.1;
}
"""

NET = b"""net { node_size = (80 40); name = "x; y"; }
node rain { states = ("yes" "no"); label = "it rains; or not"; position = (1 2); }
node wind { states = ("calm" "breeze" "storm"); }
discrete node mood { states = ("good" "fair" "bad"); }
potential (rain) { data = (0.2 0.8); }
potential (wind | rain) {
  data = ((0.1 0.3 0.6)   % yes
          (0.5 0.3 0.2)); % no
}
potential (mood | rain wind) {
  data = (((0.3 0.3 0.4)(0.25 0.25 0.5)(0.0 0.125 0.875))
          ((1 0 0)(0.75 0.2 0.05)(0.5 0.4 0.1)));
}
"""

MIXED_NET = b"""net { }
node sex { states = ("f" "m"); }
node group { states = ("a" "b" "c"); }
continuous node height { }
continuous node age { label = "years"; }
continuous node weight { }
continuous node score { }
potential (sex) { }
potential (group) { data = (0.2 0.3 0.5); }
potential (height | sex) { data = ( normal ( 165, 36 ) normal ( 178, 49 ) ); }
potential (age) { data = normal ( 4e1, 1.0E+2 ); }
potential (weight | sex group height age) {
  data = (( normal (-60 + 0 * height + 0.1 * age, 25) normal (-61 + 0.2 * height + age * 0.3, 36)
            normal (-62 + 4e-1 * height + 0.5 * age, 49) )
          ( normal (0.6 * height + 0.7 * age - 70, 64) normal (-71 + 0.8 * height + 0.9 * age, 81)
            normal (-72 + height + 1.1 * age, 100) ));
}
potential (score | weight age) { data = ( normal ( 1.5 + 2 * weight - 0.5 * age, 0.0625 ) ); }
"""

XMLBIF = b"""<?xml version="1.0"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
  <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
]>
<BIF VERSION="0.3"><NETWORK><NAME>weather</NAME>
<VARIABLE TYPE="nature"><NAME>rain</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>wind</NAME>
  <OUTCOME>calm</OUTCOME><OUTCOME>breeze</OUTCOME><OUTCOME>storm</OUTCOME></VARIABLE>
<VARIABLE><NAME>mood</NAME>
  <OUTCOME>good</OUTCOME><OUTCOME>fair</OUTCOME><OUTCOME>bad</OUTCOME></VARIABLE>
<DEFINITION><FOR>rain</FOR><TABLE>0.2 0.8</TABLE></DEFINITION>
<DEFINITION><FOR>wind</FOR><GIVEN>rain</GIVEN><TABLE>0.1 0.3 0.6 <!-- no --> 0.5 0.3 0.2</TABLE>
</DEFINITION>
<PROBABILITY><FOR>mood</FOR><GIVEN>rain</GIVEN><GIVEN>wind</GIVEN><TABLE>
  0.3 0.3 0.4  0.25 0.25 0.5  0.0 0.125 0.875
  1.0 0.0 0.0  0.75 0.2 0.05  0.5 0.4 0.1</TABLE></PROBABILITY>
</NETWORK></BIF>
"""

XDSL = b"""<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="weather" numsamples="10000">
<nodes>
<cpt id="rain"><state id="yes" /><state id="no" /><probabilities>0.2 0.8</probabilities></cpt>
<cpt id="wind"><state id="calm" /><state id="breeze" /><state id="storm" /><parents>rain</parents>
  <probabilities>0.1 0.3 0.6 0.5 0.3 0.2</probabilities></cpt>
<cpt id="mood"><state id="good" /><state id="fair" /><state id="bad" />
  <parents>rain wind</parents>
  <probabilities>0.3 0.3 0.4 0.25 0.25 0.5 0.0 0.125 0.875 1 0 0 0.75 0.2 0.05 0.5 0.4 0.1
  </probabilities></cpt>
</nodes>
<extensions><genie version="1.0"><node id="rain"><name>Rain</name></node></genie></extensions>
</smile>
"""


class RWriter:
    """Writes R objects as ``saveRDS`` would: enough of the format to test the reader."""

    def __init__(self, version: int = 2) -> None:
        encoding = struct.pack(">i", 5) + b"UTF-8" if version == 3 else b""
        self._parts = [b"X\n", struct.pack(">iii", version, 0x40300, 0x20300), encoding]
        self._symbols: dict[str, int] = {}

    def integer(self, value: int) -> None:
        self._parts.append(struct.pack(">i", value))

    def raw(self, content: bytes) -> None:
        self._parts.append(content)

    def symbol(self, name: str) -> None:
        if name in self._symbols:
            self.integer(self._symbols[name] << 8 | 255)
            return
        self._symbols[name] = len(self._symbols) + 1
        self.integer(1)
        self.characters(name)

    def characters(self, text: str) -> None:
        content = text.encode()
        self.integer(9 | 64 << 12)
        self.integer(len(content))
        self.raw(content)

    def vector(self, value: Any, attributes: dict[str, Any] | None = None) -> None:
        flags = 1 << 9 if attributes else 0
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            self.integer(14 | flags)
            self.integer(value.size)
            self.raw(value.ravel(order="F").astype(">f8").tobytes())
        elif isinstance(value, np.ndarray):
            self.integer(13 | flags)
            self.integer(value.size)
            self.raw(value.astype(">i4").tobytes())
        elif all(isinstance(item, str) for item in value):
            self.integer(16 | flags)
            self.integer(len(value))
            for item in value:
                self.characters(item)
        else:
            self.integer(19 | flags)
            self.integer(len(value))
            for item in value:
                self.item(item)
        if attributes:
            self.pairs(attributes)

    def pairs(self, items: dict[str, Any]) -> None:
        for tag, item in items.items():
            self.integer(2 | 1 << 10)
            self.symbol(tag)
            self.item(item)
        self.integer(254)

    def item(self, value: Any) -> None:
        """A vector, or (vector, attributes), or a function that writes something odd."""
        if callable(value):
            value(self)
        elif isinstance(value, tuple):
            self.vector(*value)
        else:
            self.vector(value)

    def content(self) -> bytes:
        return b"".join(self._parts)


def _named(fields: dict[str, Any], kind: str) -> tuple[list[Any], dict[str, Any]]:
    return [*fields.values()], {"names": [*fields], "class": [kind]}


def r_node(network: Network, name: str) -> tuple[list[Any], dict[str, Any]]:
    """A node as bnlearn keeps it."""
    given = network.distribution(name)
    fields: dict[str, Any] = {"node": [name], "parents": list(given.parents), "children": []}
    if isinstance(given, Table):
        tables = [network.distribution(parent) for parent in given.parents]
        labels = [list(given.levels), *(list(table.levels) for table in tables)]
        array = np.moveaxis(given.probabilities, -1, 0)
        dimensions = {
            "dim": np.array(array.shape),
            "dimnames": (labels, {"names": [name, *given.parents]}),
        }
        fields["prob"] = (array, {**dimensions, "class": ["table"]})
        return _named(fields, "bn.fit.dnode")
    axes = list(reversed(range(given.intercept.ndim)))
    coefficients = np.concatenate([given.intercept[..., None], given.coefficients], axis=-1)
    # R's matrix has one column per configuration, the first discrete parent varying fastest.
    turned = coefficients.transpose([*axes, len(axes)]).reshape(-1, coefficients.shape[-1]).T
    rows = ["(Intercept)", *given.continuous_parents]
    sd = given.sd.transpose(axes).ravel()
    if given.discrete_parents:
        names = {"dim": np.array(turned.shape), "dimnames": [rows, lambda w: w.integer(254)]}
        fields["coefficients"] = (turned, names)
        fields["sd"] = sd
        return _named(fields, "bn.fit.cgnode")
    fields["coefficients"] = (turned.ravel(), {"names": rows})
    fields["sd"] = sd
    return _named(fields, "bn.fit.gnode")


def r_content(network: Network, version: int = 2) -> bytes:
    """A network as the bytes of a decompressed ``.rds`` file."""
    writer = RWriter(version)
    nodes = [r_node(network, name) for name in network.names]
    attributes = {"names": list(network.names), "class": ["bn.fit", "bn.fit.net"]}
    writer.vector(nodes, attributes)
    return writer.content()


def examples() -> dict[str, list[bytes]]:
    """For each format, files that are right."""
    return {
        "bif": [bif.write(weather()), OLD_BIF],
        "dsc": [DSC],
        "net": [NET, MIXED_NET],
        "xmlbif": [XMLBIF],
        "xdsl": [XDSL],
        "rds": [r_content(weather()), r_content(mixed(), 3)],
        "dagnet": [compact.write(weather()), compact.write(mixed())],
    }
