import fc from 'fast-check';

// fast-check's own unit `binary` means the same, and takes a second to make.
const unit = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));

/** Text of any characters, control characters and those beyond 16 bits among them. */
export const anyText = (constraints: { readonly minLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit });
