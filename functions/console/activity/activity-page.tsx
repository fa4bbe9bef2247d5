import { goTo } from '../route.ts';
import { type Choice, Tabs } from '../ui/parts.tsx';
import { Calls } from './calls.tsx';
import { Keys } from './keys.tsx';
import { ToolLists } from './lists.tsx';
import { Overview } from './overview.tsx';
import { Recommendations } from './recommendations.tsx';
import { Sources } from './sources.tsx';
import { Waiting } from './waiting.tsx';

type View = 'overview' | 'calls' | 'waiting' | 'recommended' | 'lists' | 'sources' | 'keys';
const VIEWS: readonly Choice<View>[] = [
  { value: 'overview', label: 'Overview' },
  { value: 'calls', label: 'Calls' },
  { value: 'waiting', label: 'Waiting for approval' },
  { value: 'recommended', label: 'Recommended' },
  { value: 'lists', label: 'Lists' },
  { value: 'sources', label: 'Sources' },
  { value: 'keys', label: 'Keys and spend' },
];

/** What was called, what waits, what is preferred, and what it costs. */
export const ActivityPage = ({ view: asked }: { readonly view: string }) => {
  const view = VIEWS.find(({ value }) => value === asked)?.value ?? 'calls';
  return (
    <div class="page">
      <div class="page-head">
        <h1>Activity</h1>
        <p class="lead">Every call with its outcome, what waits for a person, and what each key has used.</p>
      </div>
      <Tabs<View>
        label="View"
        choices={VIEWS}
        chosen={view}
        onChoose={(next) => goTo(`activity/${next}`, { instead: true })}
      />
      {view === 'overview' && <Overview />}
      {view === 'calls' && <Calls />}
      {view === 'waiting' && <Waiting />}
      {view === 'recommended' && <Recommendations />}
      {view === 'lists' && <ToolLists />}
      {view === 'sources' && <Sources />}
      {view === 'keys' && <Keys />}
    </div>
  );
};
