"""VTK, the library under ParaView, reads snapshots of bodies, contacts and chains: the numbers of bodies.csv and
contacts.csv."""

import xml.etree.ElementTree

import numpy as np
import pandas as pd
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

from common import HERE, end, equal, holds, run


def read(file):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(file))
    reader.Update()
    data = reader.GetOutput()
    arrays = data.GetPointData()
    names = [arrays.GetArrayName(i) for i in range(arrays.GetNumberOfArrays())]
    points = vtk_to_numpy(data.GetPoints().GetData()) if data.GetNumberOfPoints() else np.zeros((0, 3))
    return data, points, {name: vtk_to_numpy(arrays.GetArray(name)) for name in names}


def listed(run_folder, stem):
    """Times and files of a list."""
    entries = xml.etree.ElementTree.parse(run_folder / f"{stem}.pvd").getroot().iter("DataSet")
    return [(float(entry.get("timestep")), run_folder / entry.get("file")) for entry in entries]


folder = run(HERE / "scene.toml", "heap")
bodies = pd.read_csv(folder / "bodies.csv")
contacts = pd.read_csv(folder / "contacts.csv")
fixed = pd.read_csv(folder / "bodies-fixed.csv")
spheres = fixed[fixed["shape"] == "sphere"]
materials = {"wall": 0, "glass": 1, "lead": 2}
times = bodies["time"].unique()

for time, file in listed(folder, "snapshot"):
    data, points, arrays = read(file)
    rows = bodies[(bodies["time"] == time) & bodies["id"].isin(spheres["id"])]
    equal("centres", points, rows[["x", "y", "z"]])
    equal("ids", arrays["id"], rows["id"])
    equal("radii", arrays["radius"], spheres["radius"])
    equal("sizes", arrays["half_size"], np.repeat(spheres["radius"].to_numpy()[:, None], 3, axis=1))
    equal("materials", arrays["material"], spheres["material"].map(materials))
    for name, columns in {
        "velocity": ["vx", "vy", "vz"],
        "angular_velocity": ["wx", "wy", "wz"],
        "force": ["fx", "fy", "fz"],
        "torque": ["tx", "ty", "tz"],
        "orientation": ["qw", "qx", "qy", "qz"],
    }.items():
        equal(name, arrays[name], rows[columns])
    holds("a vertex for each sphere", data.GetNumberOfVerts() == len(points))
    equal("time", data.GetFieldData().GetArray("TimeValue").GetValue(0), time)
equal("times of bodies", [time for time, _ in listed(folder, "snapshot")], times)

seen = set()
for time, file in listed(folder, "snapshot-contacts"):
    data, points, arrays = read(file)
    rows = contacts[contacts["time"] == time]
    equal("contact points", points, rows[["px", "py", "pz"]])
    for name, columns in {
        "a": "a",
        "b": "b",
        "normal": ["nx", "ny", "nz"],
        "overlap": "overlap",
        "normal_force": "fn",
        "slide_force": ["fsx", "fsy", "fsz"],
        "roll_torque": ["mrx", "mry", "mrz"],
        "roll_torque_b": ["mrbx", "mrby", "mrbz"],
        "spin_torque": "ms",
    }.items():
        equal(name, arrays[name], rows[columns])
    for i, name in enumerate(["slide_mode", "roll_mode", "spin_mode"]):
        equal(name, arrays[name], rows["mode"].str[i].map({"-": 0, "s": 1, "k": 2}))
        seen.update((name, mode) for mode in arrays[name])
    equal("roll_mode_b", arrays["roll_mode_b"], rows["roll_modes"].str[1].map({"-": 0, "s": 1, "k": 2}))
    equal("feature", arrays["feature"], rows["feature"])
    # Contact forces on a body add up to the force of bodies.csv, but for the rounding of some ten numbers.
    total = np.zeros((len(fixed), 3))
    np.add.at(total, arrays["a"], arrays["force"])
    np.subtract.at(total, arrays["b"], arrays["force"])
    expected = bodies[bodies["time"] == time][["fx", "fy", "fz"]].to_numpy()
    scale = max(np.abs(arrays["normal_force"]).max(initial=0.0), 1e-300)
    holds("forces add up", np.abs(total - expected).max() <= 1e-14 * scale)
holds(f"contacts stick, slip and are free: {sorted(seen)}", len(seen) >= 8)

for time, file in listed(folder, "snapshot-chains"):
    data, points, arrays = read(file)
    rows = contacts[contacts["time"] == time]
    holds("a line for each contact", data.GetNumberOfLines() == len(rows) == data.GetNumberOfCells())
    centre = bodies[bodies["time"] == time].set_index("id")[["x", "y", "z"]]
    # Body 0 is the floor: there a line begins at the contact point.
    first = np.where(rows[["a"]] == 0, rows[["px", "py", "pz"]], centre.loc[rows["a"]])
    equal("first ends", points[0::2], first)
    equal("second ends", points[1::2], centre.loc[rows["b"]])
    for i in range(2):
        equal("normal force at an end", arrays["normal_force"][i::2], rows["fn"])
holds("there were contacts", len(contacts) > 100)
end()
