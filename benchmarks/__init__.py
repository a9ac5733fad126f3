"""Speed beside the field's other packages; README.md says how to run it and how to read it.

Every program is held to one thread, ours and the peers. The variables must be set before the
libraries that read them are loaded, hence here.
"""

import os

for _variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "POLARS_MAX_THREADS",
):
    os.environ[_variable] = "1"
