"""Exports the two small models of this folder and prints their scores of chelsea.png and chelsea_jpeg_2.png.

Run with torch, onnx, onnxscript, numpy and pillow installed: python export.py
The weights are random but fixed: the models prove the path from PyTorch to a score, they do not measure quality.
"""

from pathlib import Path

import numpy
import onnx
import torch
from PIL import Image

HERE = Path(__file__).parent


class NoReference(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3), torch.nn.ReLU()
        )
        self.head = torch.nn.Linear(8, 1)

    def forward(self, image):
        return torch.sigmoid(self.head(self.features(image).mean(dim=(2, 3))))


class FullReference(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = NoReference().features

    def forward(self, image, reference):
        return (self.features(image) - self.features(reference)).square().mean(dim=(1, 2, 3)).reshape(-1, 1)


def read(name):
    pixels = numpy.asarray(Image.open(HERE.parent / name).convert("RGB"), dtype=numpy.float32) / 255
    return torch.from_numpy(pixels).permute(2, 0, 1).unsqueeze(0)


def export(model, inputs, names, file, external_data):
    size = {2: torch.export.Dim("height", min=32), 3: torch.export.Dim("width", min=32)}
    torch.onnx.export(
        model,
        inputs,
        HERE / file,
        opset_version=18,
        dynamo=True,
        external_data=external_data,
        input_names=names,
        output_names=["score"],
        dynamic_shapes={name: size for name in names},
    )
    strip(HERE / file)
    with torch.no_grad():
        print(file, model(*inputs).item())


def strip(path):
    """Removes the exporter's notes, which name source files of this machine."""
    model = onnx.load(path, load_external_data=False)
    del model.metadata_props[:], model.graph.metadata_props[:], model.graph.value_info[:]
    for part in [*model.graph.node, *model.graph.input, *model.graph.output, *model.graph.initializer]:
        del part.metadata_props[:]
        part.doc_string = ""
    onnx.save(model, path)


torch.manual_seed(1)
picture, reference = read("chelsea_jpeg_2.png"), read("chelsea.png")
export(NoReference().eval(), (picture,), ["image"], "no-reference.onnx", external_data=True)
export(FullReference().eval(), (picture, reference), ["image", "reference"], "full-reference.onnx", external_data=False)
