import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPictureMemory } from '../../shared/adapters/onnx/picture-memory.ts';

const megabyte = 2 ** 20;
const pictureOf = (bytes: number) => ({
  name: 'a.png',
  format: 'png',
  notes: [],
  pixels: { width: 1, height: bytes / 3, data: new Uint8Array(new SharedArrayBuffer(bytes)) },
});

test('buffers of small pictures are kept for reuse up to a limit, those of huge pictures are not', () => {
  const memory = createPictureMemory(2);
  const give = (bytes: number): void => memory.release(memory.receive(pictureOf(bytes), undefined));

  for (const bytes of [3, 6, 9]) give(bytes);
  give(300 * megabyte);
  assert.equal(memory.lend(), undefined);

  for (const bytes of [3, 6, 9]) give(bytes);
  assert.deepEqual(
    [memory.lend(), memory.lend(), memory.lend()].map((each) => each?.byteLength),
    [9, 6, undefined],
  );
});

test('releasing a picture twice frees its memory once', () => {
  const memory = createPictureMemory(4);
  const picture = memory.receive(pictureOf(3), undefined);

  memory.release(picture);
  memory.release(picture);

  assert.equal(memory.lend()?.byteLength, 3);
  assert.equal(memory.lend(), undefined);
});

test('the memory of a huge picture is returned to the system without another request', async (t) => {
  const memory = createPictureMemory(2);
  const useOnce = (): WeakRef<object> => {
    const picture = memory.receive(pictureOf(300 * megabyte), undefined);
    memory.release(picture);
    return new WeakRef(picture.pixels.data.buffer);
  };

  const huge = useOnce();

  await t.waitFor(() => assert.equal(huge.deref(), undefined), { timeout: 20_000 });
});

test('whoever waits for memory gets it when that of a huge picture has gone back to the system', async () => {
  const memory = createPictureMemory(2);
  const isFree = (): Promise<void> => new Promise((resolve) => memory.whenFree(resolve));
  const useOnce = (): WeakRef<object> => {
    const picture = memory.receive(pictureOf(300 * megabyte), undefined);
    memory.release(picture);
    return new WeakRef(picture.pixels.data.buffer);
  };
  await isFree();

  const huge = useOnce();
  await isFree();

  assert.ok(huge.deref() === undefined, 'not yet collected');
});
