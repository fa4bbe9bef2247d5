// Preloaded into a real server: its clock and intervals run faster, so that a lease ends within seconds. Processes with
// the same start have the same time.
const since = Number(process.env.FAST_SINCE ?? Date.now());
const speed = Number(process.env.FAST_SPEED ?? 1);
const now = Date.now;
const repeat = globalThis.setInterval;

Date.now = () => Math.round(since + (now() - since) * speed);
globalThis.setInterval = ((work: () => void, milliseconds = 0) =>
  repeat(work, milliseconds / speed)) as typeof globalThis.setInterval;
