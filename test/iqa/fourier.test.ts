import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { elementKernels } from '../../shared/iqa/fourier/element-kernels.ts';
import { radixPasses } from '../../shared/iqa/fourier/radix-pass.ts';
import { createArena, createTransform, lineBytes } from '../../shared/iqa/fourier/transform.ts';
import { lowerMedian } from '../../shared/iqa/median.ts';
import { powersOf } from '../../shared/iqa/powers.ts';
import { instantiate } from '../../shared/iqa/wasm/instance.ts';

describe('SIMD transforms', () => {
  // Each pass, products of them, and 17, 41 and 97, which have none.
  for (const length of [1, 2, 3, 4, 5, 7, 11, 13, 17, 22, 60, 82, 97, 256, 270]) {
    test(`a Fourier transform of ${length} numbers equals the plain sums, two transforms side by side in four lanes`, () => {
      const kernels = instantiate([...radixPasses(), ...elementKernels()]);
      const arena = createArena();
      const transform = createTransform(length, 2, arena);
      const [one, other] = [arena.allocate(lineBytes(length, 2)), arena.allocate(lineBytes(length, 2))];
      const memory = kernels.reserve(arena.used());
      transform.fill(memory);
      const numbers = new Float32Array(memory);
      const given = Float32Array.from({ length: 16 * length }, (_, at) => Math.sin(at * at + 1));
      numbers.set(given, one / 4);

      const start = transform.run(kernels, one, other) / 4;

      for (let lane = 0; lane < 16; lane += lane % 8 === 3 ? 5 : 1) {
        for (let k = 0; k < length; k++) {
          let [re, im] = [0, 0];
          for (let j = 0; j < length; j++) {
            const angle = (2 * Math.PI * ((j * k) % length)) / length;
            const [x, y] = [given[16 * j + lane] as number, given[16 * j + lane + 4] as number];
            re += x * Math.cos(angle) - y * Math.sin(angle);
            im += x * Math.sin(angle) + y * Math.cos(angle);
          }
          assert.ok(Math.abs((numbers[start + 16 * k + lane] as number) - re) < 1e-5 * Math.sqrt(length));
          assert.ok(Math.abs((numbers[start + 16 * k + lane + 4] as number) - im) < 1e-5 * Math.sqrt(length));
        }
      }
    });
  }

  test('the lower median equals that of sorted values, also of few and equal values', () => {
    for (const length of [1, 2, 3, 10, 1000, 1001]) {
      for (const make of [(at: number) => Math.abs(Math.sin(at)) * 10 ** (at % 7), () => 0, () => 3]) {
        const values = Float32Array.from({ length }, (_, at) => make(at));

        assert.equal(lowerMedian(values), values.toSorted()[Math.floor((length - 1) / 2)]);
      }
    }
  });

  test('powers from a table equal Math.pow to 1e-7, below, within and above the table', () => {
    for (const exponent of [0.02, 0.03, 0.4]) {
      const power = powersOf(exponent);
      for (let value = 0; value < 1.2; value += 0.00037)
        assert.ok(Math.abs(power(value) - value ** exponent) < 1e-7, `${value} to ${exponent}`);
    }
  });
});
