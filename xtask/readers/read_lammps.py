"""LAMMPS reads a data file and goes on from it: masses, the first forces and the trajectory are ours.

Tolerances. The first forces are the same formulas in another order: a few roundings, so 1e-12 of the largest force is
generous (seen: below 1e-15). Afterwards both codes round each of 300 steps to 2e-16 of the largest number, 6e-14 in all;
each of the few collisions of a sphere may make more of it, a factor of 10 together: 1e-12 (seen: 4e-14). A wrong term or
coefficient shows from the first steps.
"""

import numpy as np
import pandas as pd

from common import HERE, close, end, equal, holds, run
from lammps_library import atoms, start

folder = run(HERE / "lammps_scene.toml", "lammps")
bodies = pd.read_csv(folder / "bodies.csv")
fixed = pd.read_csv(folder / "bodies-fixed.csv")

full = "tangential linear_history 1.0 1.0 0.3 rolling sds 1.0 0.5 0.1 twisting sds 1.0 0.5 1e3"
engine = start(f"""
units lj
atom_style sphere
atom_modify map array
comm_modify vel yes
newton off
boundary s s s
read_data {folder / "state-0.data"}
pair_style granular
pair_coeff 1 1 hooke 1.0 0.5 damping mass_velocity {full}
pair_coeff 1 2 hooke 1.5 0.25 damping mass_velocity tangential linear_history 0.8 0.5 0.5
pair_coeff 2 2 hooke 2.0 0.4 damping mass_velocity tangential linear_history 0.5 0.0 0.2
neighbor 0.5 bin
neigh_modify delay 0 every 1 check yes
timestep 0.02
fix move all nve/sphere
run 0
""")

COLUMNS = {
    "x": ["x", "y", "z"],
    "v": ["vx", "vy", "vz"],
    "omega": ["wx", "wy", "wz"],
    "f": ["fx", "fy", "fz"],
    "torque": ["tx", "ty", "tz"],
}


def rows(step, columns):
    return bodies[bodies["step"] == step][columns].to_numpy()


holds("as many atoms as spheres", engine.get_natoms() == len(fixed))
equal("radii", atoms(engine, "radius"), fixed["radius"])
equal("types", atoms(engine, "type"), fixed["material"].map({"soft": 1, "hard": 2}))
close("masses", atoms(engine, "rmass"), fixed["mass"], fixed["mass"].max(), 1e-15)
for name in ["x", "v", "omega"]:
    equal(name, atoms(engine, name), rows(0, COLUMNS[name]))
for name in ["f", "torque"]:
    expected = rows(0, COLUMNS[name])
    holds(f"there is {name} at the start", np.abs(expected).max() > 1e-3)
    worst = close(f"first {name}", atoms(engine, name), expected, np.abs(expected).max(), 1e-12)
    print(f"first {name}: off by {worst:.1e} of the largest")

steps = bodies["step"].unique()
worst = 0.0
for before, step in zip(steps, steps[1:]):
    engine.command(f"run {step - before} pre no post no")
    for name, columns in COLUMNS.items():
        scale = bodies[columns].abs().to_numpy().max()
        off = close(f"{name} at step {step}", atoms(engine, name), rows(step, columns), scale, 1e-12)
        worst = max(worst, off)
print(f"{steps[-1]} steps: off by at most {worst:.1e} of the largest")
end()
