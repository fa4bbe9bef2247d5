type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((node, key) => (node as Json | undefined)?.[key as string], value ?? undefined);
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

export type Said = readonly [name: unknown, arguments_: unknown];

/** The events of a file that holds one JSON document, or one event a line. */
export function eventsIn(text: string): readonly Json[] {
  try {
    return [JSON.parse(text) as Json];
  } catch {
    const lines = text.split('\n').map((line) => line.replace(/^data:/, '').trim());
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Json);
  }
}

/** The calls of a recording by the plainest reading there is, of recordings known to be complete. */
export function plainReading(events: readonly Json[]): readonly Said[] {
  const notes = new Notes();
  for (const event of events) {
    if (event.type === 'message_start' || event.type === 'response.created') notes.message += 1;
    for (const read of [readBlocks, readConverse, readChat, readItems, readParts]) read(event, notes);
  }
  return notes.calls.map(({ name, text, value }) => [
    name,
    text === undefined ? value : (JSON.parse(text || '{}') ?? {}),
  ]);
}

interface Noted {
  readonly name: unknown;
  text?: string;
  readonly value?: unknown;
}

class Notes {
  readonly calls: Noted[] = [];
  readonly open = new Map<string, Noted>();
  message = 0;

  begin(key: unknown, name: unknown): void {
    const call = { name, text: '' };
    this.open.set(`${this.message} ${key}`, call);
    this.calls.push(call);
  }

  grow(key: unknown, text: unknown): void {
    const call = this.open.get(`${this.message} ${key}`);
    if (call && typeof text === 'string') call.text += text;
  }
}

/** Anthropic's blocks and messages. */
function readBlocks(event: Json, notes: Notes): void {
  const { index, content_block: block } = event;
  if (isObject(block) && block.type === 'tool_use') notes.begin(index, block.name);
  else if (isObject(block)) notes.open.delete(`${notes.message} ${index}`);
  notes.grow(index, at(event, 'delta', 'partial_json'));
  for (const { type, name, input } of list(event.content)) {
    if (type === 'tool_use') notes.calls.push({ name, value: input });
  }
}

function readConverse(event: Json, notes: Notes): void {
  const started = at(event, 'contentBlockStart', 'start', 'toolUse');
  if (isObject(started)) notes.begin(at(event, 'contentBlockStart', 'contentBlockIndex'), started.name);
  notes.grow(
    at(event, 'contentBlockDelta', 'contentBlockIndex'),
    at(event, 'contentBlockDelta', 'delta', 'toolUse', 'input'),
  );
  for (const { toolUse } of list(at(event, 'output', 'message', 'content'))) {
    if (isObject(toolUse)) notes.calls.push({ name: toolUse.name, value: toolUse.input });
  }
}

/** Chat Completions, and Cohere's messages. */
function readChat(event: Json, notes: Notes): void {
  const cohere = at(event, 'delta', 'message', 'tool_calls');
  if (isObject(cohere)) notes.begin(event.index, at(cohere, 'function', 'name'));
  for (const call of list(at(event, 'choices', 0, 'delta', 'tool_calls'))) {
    const place = `call ${call.index ?? call.id}`;
    const name = at(call, 'function', 'name');
    if (name !== undefined) notes.begin(place, name);
    notes.grow(place, at(call, 'function', 'arguments'));
  }
  for (const call of list(at(event, 'message', 'tool_calls') ?? at(event, 'choices', 0, 'message', 'tool_calls')))
    notes.calls.push({ name: at(call, 'function', 'name'), text: String(at(call, 'function', 'arguments')) });
}

/** The items of a response, and the steps of an interaction. */
function readItems(event: Json, notes: Notes): void {
  const done = event.type === 'response.output_item.done' ? [event.item] : (event.output ?? event.steps);
  for (const { type, name, arguments: given } of list(done)) {
    if (type === 'function_call')
      notes.calls.push(typeof given === 'string' ? { name, text: given } : { name, value: given });
  }
}

/** Arguments that come value by value are not read here: nothing stands for them. */
function readParts(event: Json, notes: Notes): void {
  for (const { functionCall: call } of list(at(event, 'candidates', 0, 'content', 'parts'))) {
    if (isObject(call) && call.name !== undefined)
      notes.calls.push({ name: call.name, value: call.willContinue ? undefined : (call.args ?? {}) });
  }
}
