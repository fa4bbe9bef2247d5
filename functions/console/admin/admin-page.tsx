import { goTo } from '../route.ts';
import { type Choice, Tabs } from '../ui/parts.tsx';
import { Keys } from './keys.tsx';
import { ToolLists } from './lists.tsx';
import { Models } from './models.tsx';
import { Sources } from './sources.tsx';
import { Tenants } from './tenants.tsx';

type View = 'keys' | 'lists' | 'sources' | 'models' | 'tenants';
const VIEWS: readonly Choice<View>[] = [
  { value: 'keys', label: 'Keys and spend' },
  { value: 'lists', label: 'Lists' },
  { value: 'sources', label: 'Sources' },
  { value: 'models', label: 'Models' },
  { value: 'tenants', label: 'Tenants' },
];

/** Keys, grants, lists, spend, sources, models and tenants. */
export const AdminPage = ({ view: asked }: { readonly view: string }) => {
  const view = VIEWS.find(({ value }) => value === asked)?.value ?? 'keys';
  return (
    <div class="page">
      <div class="page-head">
        <h1>Admin</h1>
        <p class="lead">Keys and what they may do, what they spent, and where tools and models come from.</p>
      </div>
      <Tabs<View>
        label="View"
        choices={VIEWS}
        chosen={view}
        onChoose={(next) => goTo(`admin/${next}`, { instead: true })}
      />
      {view === 'keys' && <Keys />}
      {view === 'lists' && <ToolLists />}
      {view === 'sources' && <Sources />}
      {view === 'models' && <Models />}
      {view === 'tenants' && <Tenants />}
    </div>
  );
};
