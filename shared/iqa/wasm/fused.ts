import { lazily } from '../../kernel/lazily.ts';
import { f32x4 } from './assemble.ts';
import { instantiate } from './instance.ts';

/**
 * Whether this processor's `multiplyAdd` is fused (rounds once). Where it is not (x86 before 2013) the last bits of
 * float32 results would differ, so plain TypeScript is used there.
 */
export const isFused = lazily((): boolean => {
  const factor = f32x4.splat(1 + 2 ** -12);
  const body = f32x4.first(f32x4.multiplyAdd(factor, factor, f32x4.splat(-1 - 2 ** -11)));
  return instantiate([{ name: 'probe', parameters: [], locals: [], result: 'f32', body }]).run('probe') !== 0;
});
