import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pixelMetrics } from '../../shared/iqa/nr/metrics.ts';

/** Milliseconds a score by metric, of IQA-PyTorch on this machine. */
export type PythonTimes = Readonly<Record<string, number>>;

/** Times of IQA-PyTorch's metrics on two files, by the Python that is named; the middle of three runs after a first. */
export const timeInPython = async (
  python: string,
  metrics: readonly string[],
  [reference, picture]: readonly [string, string],
): Promise<PythonTimes> => {
  const blind = pixelMetrics.map(({ name }) => name);
  const arguments_ = ['-c', SCRIPT, JSON.stringify({ metrics, blind, reference, picture })];
  const { stdout } = await promisify(execFile)(python, arguments_, { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as PythonTimes;
};

const SCRIPT = `
import json, sys, time
import numpy, pyiqa, torch
from PIL import Image

asked = json.loads(sys.argv[1])
read = lambda path: torch.from_numpy(numpy.asarray(Image.open(path).convert("RGB")).copy()).permute(2, 0, 1).unsqueeze(0) / 255
picture, reference = read(asked["picture"]), read(asked["reference"])
times = {}
for name in asked["metrics"]:
    try:
        metric = pyiqa.create_metric(name, device="cpu")
        inputs = (picture,) if name in asked["blind"] else (picture, reference)
        runs = []
        for run in range(4):
            started = time.perf_counter()
            with torch.no_grad():
                metric(*inputs)
            runs.append(1000 * (time.perf_counter() - started))
        times[name] = sorted(runs[1:])[1]
    except Exception as problem:
        print(name, problem, file=sys.stderr)
print(json.dumps(times))
`;
