import fc from 'fast-check';

// Equivalent to fast-check's own unit `binary`, which takes a second to create.
const unit = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));

/** Text of any characters, including control characters and those beyond 16 bits. */
export const anyText = (constraints: { readonly minLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit });
