interface Slot {
  readonly held?: { readonly memory: number };
  readonly checkedAt: number;
}

/** Drops what tenants have that have not asked for the longest time, until the rest fits; never the current one's. */
export const dropUnused = (slots: Map<string, Slot>, current: Slot, most: number): void => {
  let bytes = 0;
  for (const { held } of slots.values()) bytes += held?.memory ?? 0;
  if (bytes <= most) return;
  for (const [tenant, slot] of [...slots].sort(([, a], [, b]) => a.checkedAt - b.checkedAt)) {
    if (bytes <= most) return;
    if (slot === current || !slot.held) continue;
    bytes -= slot.held.memory;
    slots.delete(tenant);
  }
};
