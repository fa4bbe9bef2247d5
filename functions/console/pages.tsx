import { lazyPage } from './lazy-page.tsx';
import type { PageName } from './route.ts';
import { ScorePage } from './score/score-page.tsx';

export const TITLES: Readonly<Record<PageName, string>> = {
  score: 'Score',
  tools: 'Tools',
  decide: 'Decide',
  plans: 'Plans',
  playground: 'Playground',
  activity: 'Activity',
  admin: 'Admin',
  connect: 'Connect',
};

const ToolsPage = lazyPage(async () => (await import('./tools/tools-page.tsx')).ToolsPage);
const ToolPage = lazyPage(async () => (await import('./tools/tool-page.tsx')).ToolPage);
const RegisterPage = lazyPage(async () => (await import('./tools/register-page.tsx')).RegisterPage);
const DecidePage = lazyPage(async () => (await import('./decide/decide-page.tsx')).DecidePage);
const PlansPage = lazyPage(async () => (await import('./plans/plans-page.tsx')).PlansPage);
const PlaygroundPage = lazyPage(async () => (await import('./playground/playground-page.tsx')).PlaygroundPage);
const ActivityPage = lazyPage(async () => (await import('./activity/activity-page.tsx')).ActivityPage);
const AdminPage = lazyPage(async () => (await import('./admin/admin-page.tsx')).AdminPage);
const ConnectPage = lazyPage(async () => (await import('./connect/connect-page.tsx')).ConnectPage);

interface Props {
  readonly page: PageName;
  readonly rest: string;
}

/** A page by its name, at the place within it from the URL. */
export const Page = ({ page, rest }: Props) => {
  switch (page) {
    case 'score':
      return <ScorePage />;
    case 'tools':
      if (rest.startsWith('+')) return <RegisterPage key={rest} from={rest.slice(1)} />;
      return rest === '' ? <ToolsPage /> : <ToolPage key={rest} name={rest} />;
    case 'decide':
      return <DecidePage />;
    case 'plans':
      return <PlansPage run={rest} />;
    case 'playground':
      return <PlaygroundPage />;
    case 'activity':
      return <ActivityPage view={rest} />;
    case 'admin':
      return <AdminPage view={rest} />;
    case 'connect':
      return <ConnectPage />;
  }
};

/** Whether a page stays mounted. The others must show current data and are loaded anew each time. */
export const isLasting = (page: PageName): boolean => !['activity', 'admin', 'connect'].includes(page);
