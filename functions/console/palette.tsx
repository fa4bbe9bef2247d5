import { useRef } from 'hono/jsx/dom';
import { useClient } from './context.ts';
import { goTo } from './route.ts';
import { Dialog } from './ui/dialog.tsx';
import { useEffect } from './use-effect.ts';
import { useLoad } from './use-load.ts';
import { useSettled } from './use-settled.ts';
import { useState } from './use-state.ts';

interface Entry {
  readonly label: string;
  readonly about: string;
  readonly place: string;
}

const PLACES: readonly Entry[] = [
  { label: 'Score a picture', about: 'page', place: 'score' },
  { label: 'Tools', about: 'page', place: 'tools' },
  { label: 'Register a tool', about: 'action', place: 'tools/+' },
  { label: 'Decide which tool fits', about: 'page', place: 'decide' },
  { label: 'Plans and runs', about: 'page', place: 'plans' },
  { label: 'Playground: a provider’s request and its answer', about: 'page', place: 'playground' },
  { label: 'Overview: calls, errors, times, spend', about: 'activity', place: 'activity/overview' },
  { label: 'Calls', about: 'activity', place: 'activity' },
  { label: 'Waiting for approval', about: 'activity', place: 'activity/waiting' },
  { label: 'Recommended tools', about: 'activity', place: 'activity/recommended' },
  { label: 'Keys, grants and spend', about: 'admin', place: 'admin/keys' },
  { label: 'Whitelist and blacklist', about: 'admin', place: 'admin/lists' },
  { label: 'Sources of foreign tools', about: 'admin', place: 'admin/sources' },
  { label: 'Models of learned metrics', about: 'admin', place: 'admin/models' },
  { label: 'Tenants', about: 'admin', place: 'admin/tenants' },
  { label: 'Connect a client', about: 'page', place: 'connect' },
];

/** The command palette: Ctrl-K or Cmd-K opens it, `/` goes to the search of tools. */
export const Palette = () => {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setOpen((before) => !before);
      } else if (event.key === '/' && !isTyping(event.target)) {
        event.preventDefault();
        searchTools();
      }
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return isOpen ? <PaletteDialog onClose={() => setOpen(false)} /> : null;
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** About ten seconds. */
const FRAMES = 600;

const searchTools = (): void => {
  goTo('tools');
  // The page may have to be loaded first, over a slow network; the one left behind may have a search of its own.
  const focus = (left: number): void => {
    const field = document.querySelector<HTMLInputElement>('main > div:not([hidden]) search input[type=search]');
    if (field) field.focus();
    else if (left > 0) requestAnimationFrame(() => focus(left - 1));
  };
  focus(FRAMES);
};

const PaletteDialog = ({ onClose }: { onClose(): void }) => {
  const client = useClient();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
  }, []);
  const asked = useSettled(text.trim(), 120);
  const found = useLoad(async () => (asked === '' ? undefined : client.tools({ q: asked, limit: '6' })), [asked]);
  const words = text.trim().toLowerCase();
  const tools = text.trim() === '' ? [] : (found.value?.tools ?? []);
  const entries: readonly Entry[] = [
    ...PLACES.filter(({ label }) => label.toLowerCase().includes(words)),
    ...tools.map(({ spec }) => ({ label: spec.name, about: 'tool', place: `tools/${spec.name}` })),
  ];
  const chosen = Math.min(at, entries.length - 1);
  const take = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    goTo(entry.place);
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setAt((chosen + step + entries.length) % Math.max(1, entries.length));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    take(entries[chosen]);
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <input
          ref={field}
          type="search"
          role="combobox"
          aria-label="Pages, actions and tools"
          aria-expanded="true"
          aria-controls="palette"
          aria-activedescendant={entries.length > 0 ? `palette-${chosen}` : undefined}
          autocomplete="off"
          placeholder="A page, an action, or what a tool should do"
          value={text}
          onInput={(event: Event) => {
            setText((event.target as HTMLInputElement).value);
            setAt(0);
          }}
          onKeyDown={move}
        />
        <div id="palette" role="listbox" class="palette" aria-label="Found">
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the chosen one
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
            <div
              key={entry.place}
              id={`palette-${index}`}
              role="option"
              class="palette-entry"
              aria-selected={index === chosen ? 'true' : 'false'}
              onClick={() => take(entry)}
            >
              <span>{entry.label}</span>
              <span class="tiny muted">{entry.about}</span>
            </div>
          ))}
        </div>
        {entries.length === 0 && <p class="small muted">{found.isLoading ? 'Searching…' : 'Nothing of that name.'}</p>}
      </form>
    </Dialog>
  );
};
