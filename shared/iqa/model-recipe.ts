import type { IqaTool } from './metadata.ts';
import { SAMPLE_SIZES } from './model-sample.ts';

/** A Python script that exports a tool of the installed IQA-PyTorch to the file that `assay models add` takes. */
export const recipeFor = ({ name, type }: Pick<IqaTool, 'name' | 'type'>): string => {
  const stem = name.replaceAll('+', '-plus');
  return `#!/usr/bin/env python3
"""Exports ${name} of IQA-PyTorch to ONNX.

    pip install pyiqa onnx onnxscript
    python export_${stem}.py
    assay models add ${name} ${stem}.onnx

Writes ${stem}.onnx, its weights beside it in ${stem}.onnx.data, and ${stem}.json with what the network takes and the
scores PyTorch gives for two sample pictures, which \`assay models add\` compares with. IQA-PyTorch is for
non-commercial use, and weights have licences of their own.
"""
import argparse
import json
import math

import onnx
import pyiqa
import torch

NAME = ${JSON.stringify(name)}
STEM = ${JSON.stringify(stem)}
INPUTS = ${type === 'FR' ? '["image", "reference"]' : '["image"]'}
SIZES = ${JSON.stringify(SAMPLE_SIZES.map(({ width, height }) => [width, height]))}


class Score(torch.nn.Module):
    """The network alone: RGB in [0, 1], N x 3 x H x W, to one number a picture."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image${type === 'FR' ? ', reference' : ''}):
        result = self.network(image${type === 'FR' ? ', reference' : ''})
        result = result[0] if isinstance(result, (tuple, list)) else result
        return result.reshape(image.shape[0], -1).mean(dim=1)


def sample(width, height, noise):
    """The picture that assay scores when a model is added: slopes and waves with some noise."""
    state, values = 1, torch.empty(height, width, 3)
    for y in range(height):
        for x in range(width):
            for channel in range(3):
                state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
                wave = 50 * math.sin(x / (7 + 3 * channel)) * math.cos(y / 11)
                value = 128 + wave + (x - width / 2) / 5 + noise * (state / 2**31 - 1)
                values[y, x, channel] = int(value) & 255
    return (values / 255).permute(2, 0, 1).unsqueeze(0)


def pictures(width, height):
    return tuple(sample(width, height, noise) for noise in (12, 0)[: len(INPUTS)])


def export(model, arguments, is_fixed):
    size = {2: torch.export.Dim("height", min=32), 3: torch.export.Dim("width", min=32)}
    torch.onnx.export(
        model,
        arguments,
        f"{STEM}.onnx",
        dynamo=True,
        opset_version=18,
        input_names=INPUTS,
        output_names=["score"],
        # By position: the names above are the file's, not the network's.
        dynamic_shapes=None if is_fixed else tuple(size for _ in arguments),
        external_data=True,
    )
    sides = onnx.load(f"{STEM}.onnx", load_external_data=False).graph.input[0].type.tensor_type.shape.dim[2:]
    if not is_fixed and any(side.dim_value for side in sides):
        raise ValueError(f"the network keeps the size it was exported with, {[side.dim_value for side in sides]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, help="export for pictures of this side only, which are then resized to it")
    size = parser.parse_args().size
    model = Score(pyiqa.create_metric(NAME, device="cpu").net.eval()).eval()
    about = {"tool": NAME, "preprocessing": {}, "scores": []}
    with torch.no_grad():
        if size is None:
            try:
                export(model, pictures(*SIZES[0]), is_fixed=False)
            except Exception as problem:
                raise SystemExit(f"{NAME} cannot be exported for every size ({problem}); try: --size 224") from problem
            for width, height in SIZES:
                score = float(model(*pictures(width, height))[0])
                about["scores"].append({"width": width, "height": height, "score": score})
        else:
            export(model, pictures(size, size), is_fixed=True)
            score = float(model(*pictures(size, size))[0])
            about["scores"].append({"width": size, "height": size, "score": score})
            about["preprocessing"] = {"resize": {"size": size, "fit": "exact"}}
    with open(f"{STEM}.json", "w", encoding="utf-8") as file:
        json.dump(about, file, indent=2)
    print(f"wrote {STEM}.onnx and {STEM}.json; now: assay models add {NAME} {STEM}.onnx")


main()
`;
};
