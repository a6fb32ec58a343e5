"""What the readers share: running the program, comparing numbers, and the line that xtask counts.

A reader is called with the binary and an empty folder. It ends with `test result: ok. N passed; 0 failed`, or with the
first thing that is not as it must be.
"""

import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
BINARY = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(sys.argv[2]).resolve()

passed = 0


def run(scene, name):
    """Runs a scene into a folder, unless an earlier reader has, and returns that folder."""
    out = FOLDER / name
    if not out.exists():
        subprocess.run([BINARY, "run", scene, "--out", out, "--quiet"], check=True)
    return out


def holds(what, truth):
    """One check."""
    global passed
    if not truth:
        sys.exit(f"FAILED: {what}")
    passed += 1


def same_shape(what, found, expected):
    """Arrays that can be compared."""
    if found.shape != expected.shape:
        sys.exit(f"FAILED: {what}: shape {found.shape}, expected {expected.shape}")


def equal(what, found, expected):
    """The same numbers, to the bit (but 0 and -0 are one)."""
    found, expected = np.asarray(found), np.asarray(expected)
    same_shape(what, found, expected)
    worst = np.max(np.abs(found - expected), initial=0.0)
    holds(f"{what}: off by up to {worst}", np.array_equal(found, expected))


def close(what, found, expected, scale, tolerance):
    """The same numbers to `tolerance` of `scale`; returns how far they are apart, in that measure."""
    found, expected = np.asarray(found), np.asarray(expected)
    same_shape(what, found, expected)
    worst = float(np.max(np.abs(found - expected), initial=0.0)) / scale
    holds(f"{what}: off by {worst:.2e} of {scale:.2e}, allowed {tolerance:.0e}", worst <= tolerance)
    return worst


def end():
    """Says how many checks passed."""
    print(f"test result: ok. {passed} passed; 0 failed")
