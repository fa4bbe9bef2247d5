import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pixelMetrics } from '../../shared/iqa/nr/metrics.ts';

/** Milliseconds of one score: wall time, and CPU time of all cores. */
export interface Cost {
  readonly clock: number;
  readonly processor: number;
}

/** IQA-PyTorch on this machine, kept open so that its scores can be measured alternately with ours. */
export interface PythonScores {
  /** The metrics that it has, except those whose weights it would have to download. */
  readonly metrics: readonly string[];
  readonly score: (metric: string) => Promise<Cost>;
  readonly close: () => void;
}

/** Opens two files in the given Python; PIQ provides what IQA-PyTorch lacks. */
export const openPython = async (
  python: string,
  metrics: readonly string[],
  [reference, picture]: readonly [string, string],
): Promise<PythonScores> => {
  const blind = pixelMetrics.map(({ name }) => name);
  const asked = JSON.stringify({ metrics, blind, reference, picture });
  const child = spawn(python, ['-c', SCRIPT, asked], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // Our lines begin with a mark, because libraries print lines too.
  const answer = async (): Promise<unknown> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${python} ended before it answered`);
      if (value.startsWith('> ')) return JSON.parse(value.slice(2));
    }
  };
  return {
    metrics: (await answer()) as readonly string[],
    async score(metric) {
      child.stdin.write(`${metric}\n`);
      return (await answer()) as Cost;
    },
    close: () => child.stdin.end(),
  };
};

const SCRIPT = `
import json, sys, time
import numpy, pyiqa, torch
from PIL import Image

asked = json.loads(sys.argv[1])
read = lambda path: torch.from_numpy(numpy.asarray(Image.open(path).convert("RGB")).copy()).permute(2, 0, 1).unsqueeze(0) / 255
picture, reference = read(asked["picture"]), read(asked["reference"])

def make(name):
    try:
        return pyiqa.create_metric(name, device="cpu")
    except Exception as problem:
        try:
            import piq
            return {"haarpsi": piq.haarpsi, "mdsi": piq.mdsi}[name]
        except (ImportError, KeyError):
            print(name, "is not measured:", str(problem)[:200], file=sys.stderr)

found = {name: metric for name in asked["metrics"] if (metric := make(name)) is not None}
print("> " + json.dumps(list(found)), flush=True)
for line in sys.stdin:
    name = line.strip()
    inputs = (picture,) if name in asked["blind"] else (picture, reference)
    clock, processor = time.perf_counter(), time.process_time()
    with torch.no_grad():
        found[name](*inputs)
    cost = {"clock": time.perf_counter() - clock, "processor": time.process_time() - processor}
    print("> " + json.dumps({each: 1000 * seconds for each, seconds in cost.items()}), flush=True)
`;
