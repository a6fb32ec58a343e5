"""LAMMPS writes a dump and a data file, and stickslip places grains from them: the same numbers.

The dump has 17 digits, so they are equal to the bit. `write_data` gives 16, of which the last is rounded: off by at most
5e-16 of a number, 1e-15 allowed.
"""

import pandas as pd

from common import FOLDER, close, end, equal, holds, run
from lammps_library import atoms, start

data, dump = FOLDER / "written.data", FOLDER / "written.dump"
engine = start(f"""
units si
atom_style sphere
atom_modify map array
boundary f f f
newton off
region box block -0.1 0.1 -0.1 0.1 0 0.2
create_box 2 box
create_atoms 1 random 40 1234 box overlap 0.02 maxtry 1000
create_atoms 2 random 20 4321 box overlap 0.02 maxtry 1000
variable size atom 0.004+0.001*sin(id)
variable spin atom 3*cos(id)
set group all diameter 0.01 density 2500
set group all diameter v_size
velocity all create 1e18 99 dist gaussian
set atom * omega v_spin 0.5 -2.0
pair_style zero 0.02
pair_coeff * *
run 0
write_data {data}
write_dump all custom {dump} id type radius x y z vx vy vz omegax omegay omegaz modify format float %.17g
""")
holds("there are atoms", engine.get_natoms() == 60)

for kind, file in {"data": data, "dump": dump}.items():
    scene = FOLDER / f"from-{kind}.toml"
    scene.write_text(f"""
[time]
end = 0.0
step = 1e-5
[material.grain]
density = 2500.0
[[contact]]
between = ["grain", "grain"]
normal = {{ law = "hooke", stiffness = 1e4 }}
[[grains]]
material = "grain"
place = {{ kind = "lammps", file = "{file.name}" }}
[[record]]
what = "bodies"
every = "step"
""")
    folder = run(scene, f"from-{kind}")
    bodies, fixed = pd.read_csv(folder / "bodies.csv"), pd.read_csv(folder / "bodies-fixed.csv")
    pairs = {
        "positions": (bodies[["x", "y", "z"]], "x"),
        "radii": (fixed["radius"], "radius"),
        "velocities": (bodies[["vx", "vy", "vz"]], "v"),
        "angular velocities": (bodies[["wx", "wy", "wz"]], "omega"),
    }
    for what, (found, name) in pairs.items():
        expected = atoms(engine, name)
        if kind == "dump":
            equal(f"{kind}: {what}", found, expected)
        else:
            close(f"{kind}: {what}", found, expected, abs(expected).max(), 1e-15)
    holds(f"{kind}: they move", bodies[["vx", "wx"]].abs().to_numpy().min() > 0)
end()
