// glibc maps blocks above 32 MB directly, so that pages nobody touches take no memory.
const groupBytes = 32 * 2 ** 20;
const weightBytes = 2 * groupBytes;

/** Something to hold on to as long as the memory it stands for is held. */
export type Weight = { readonly block: ArrayBuffer | undefined };

/**
 * V8 does not count shared and native memory when it decides to collect garbage, so dead pictures would pile up.
 * For every 32 MB of them this makes a block V8 does count, which is never touched and so is never really there.
 */
export function createWeights(): (bytes: number) => Weight {
  let group: Weight = { block: undefined };
  let bytesLeft = 0;
  return (bytes) => {
    bytesLeft -= bytes;
    if (bytesLeft < 0) {
      group = { block: allocate() };
      bytesLeft = groupBytes;
    }
    return group;
  };
}

function allocate(): ArrayBuffer | undefined {
  try {
    return new ArrayBuffer(weightBytes);
  } catch {
    return undefined;
  }
}
