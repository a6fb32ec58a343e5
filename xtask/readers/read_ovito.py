"""OVITO reads the dump and the data files: positions, radii, velocities, forces as in bodies.csv.

It keeps radii as single-precision numbers, which are exact to 6e-8, and reads numbers with a fast routine that may miss
the last bit or two: 1e-15 of the largest one.
"""

import numpy as np
import pandas as pd
from ovito.io import import_file

from common import HERE, close, end, equal, holds, run

folder = run(HERE / "scene.toml", "heap")
bodies = pd.read_csv(folder / "bodies.csv")
fixed = pd.read_csv(folder / "bodies-fixed.csv")
spheres = fixed[fixed["shape"] == "sphere"]
steps = bodies["step"].unique()


def compare(data, step, names):
    particles = data.particles
    order = np.argsort(particles["Particle Identifier"][...])
    rows = bodies[(bodies["step"] == step) & bodies["id"].isin(spheres["id"])]
    equal("ids", particles["Particle Identifier"][...][order], rows["id"] + 1)
    equal("types", particles["Particle Type"][...][order], spheres["material"].map({"wall": 1, "glass": 2, "lead": 3}))
    close("radii", particles["Radius"][...][order], spheres["radius"], 0.006, 1e-7)
    for name, columns in names.items():
        scale = max(np.abs(rows[columns].to_numpy()).max(), 1e-300)
        close(name, particles[name][...][order], rows[columns], scale, 1e-15)


dump = import_file(folder / "dump.dump")
holds(f"{dump.source.num_frames} frames, expected {len(steps)}", dump.source.num_frames == len(steps))
for frame, step in enumerate(steps):
    data = dump.compute(frame)
    equal("timestep", data.attributes["Timestep"], step)
    names = {
        "Position": ["x", "y", "z"],
        "Velocity": ["vx", "vy", "vz"],
        "Angular Velocity": ["wx", "wy", "wz"],
        "Force": ["fx", "fy", "fz"],
        "Torque": ["tx", "ty", "tz"],
    }
    compare(data, step, names)
for step in steps:
    data = import_file(folder / f"state-{step}.data", atom_style="sphere").compute()
    names = {"Position": ["x", "y", "z"], "Velocity": ["vx", "vy", "vz"], "Angular Velocity": ["wx", "wy", "wz"]}
    compare(data, step, names)
end()
