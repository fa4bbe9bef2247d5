import { goTo } from '../route.ts';
import { type Choice, Tabs } from '../ui/parts.tsx';
import { Calls } from './calls.tsx';
import { Overview } from './overview.tsx';
import { Recommendations } from './recommendations.tsx';
import { Waiting } from './waiting.tsx';

type View = 'overview' | 'calls' | 'waiting' | 'recommended';
const VIEWS: readonly Choice<View>[] = [
  { value: 'overview', label: 'Overview' },
  { value: 'calls', label: 'Calls' },
  { value: 'waiting', label: 'Waiting for approval' },
  { value: 'recommended', label: 'Recommended' },
];

/** Calls, waiting approvals and recommended tools. */
export const ActivityPage = ({ view: asked }: { readonly view: string }) => {
  const view = VIEWS.find(({ value }) => value === asked)?.value ?? 'calls';
  return (
    <div class="page">
      <div class="page-head">
        <h1>Activity</h1>
        <p class="lead">Every call with its outcome, what waits for a person, and what does well.</p>
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
    </div>
  );
};
