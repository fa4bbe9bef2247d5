import { useClient } from './context.ts';
import { KeyDialog } from './key-dialog.tsx';
import type { Keyring } from './keyring.ts';
import { isLasting, Page, TITLES } from './pages.tsx';
import { Palette } from './palette.tsx';
import { PAGES, type PageName, useRoute } from './route.ts';
import { ThemeButton } from './theme-button.tsx';
import { useEffect } from './use-effect.ts';
import { useState } from './use-state.ts';
import { useWaiting } from './use-waiting.ts';

/** The last place within each page. */
type Opened = Readonly<Partial<Record<PageName, string>>>;

/** The frame of the console. Pages stay mounted once opened, so that typed text is not lost. */
export const App = ({ keyring }: { readonly keyring: Keyring }) => {
  const route = useRoute();
  const [opened, setOpened] = useState<Opened>({ [route.page]: route.rest });
  const [asked, setAsked] = useState(keyring.asked());
  useEffect(() => keyring.onChange(() => setAsked(keyring.asked())), []);
  useEffect(() => {
    setOpened((before) => ({ ...before, [route.page]: route.rest }));
    document.title = `${TITLES[route.page]} · Assay`;
  }, [route.page, route.rest]);
  return (
    <div class="group">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Header page={route.page} onForget={() => keyring.forget()} />
      <main id="main" tabindex={-1}>
        {PAGES.filter((page) => isKept(page, route.page, opened)).map((page) => (
          <div key={page} hidden={page !== route.page}>
            <Page page={page} rest={page === route.page ? route.rest : (opened[page] ?? '')} />
          </div>
        ))}
      </main>
      <Palette />
      {asked && <KeyDialog key={asked.why ?? ''} keyring={keyring} asked={asked} />}
    </div>
  );
};

const isKept = (page: PageName, current: PageName, opened: Opened): boolean =>
  page === current || (isLasting(page) && opened[page] !== undefined);

interface HeaderProps {
  readonly page: PageName;
  onForget(): void;
}

const Header = ({ page, onForget }: HeaderProps) => {
  const waiting = useWaiting(page);
  return (
    <header class="top">
      <div class="top-inner">
        <a class="brand" href="#/score">
          <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
            <path d="M10 1h12l9 9v12l-9 9H10l-9-9V10z" />
            <path d="M9.5 23 16 8.500 22.500 23M12 18.500h8" class="mark-a" />
          </svg>
          Assay
        </a>
        <nav aria-label="Pages">
          {PAGES.map((each) => (
            <a key={each} href={`#/${each}`} aria-current={each === page ? 'page' : undefined}>
              {TITLES[each]}
              {each === 'activity' && waiting > 0 && (
                <span class="count" title={`${waiting} wait for approval`}>
                  {waiting}
                  <span class="sr-only"> wait for approval</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <div class="top-end">
          <ActingFor />
          <ThemeButton />
          <button type="button" class="button quiet small" onClick={onForget}>
            Change key
          </button>
        </div>
      </div>
    </header>
  );
};

/** Reminds an operator that it acts for another tenant. */
const ActingFor = () => {
  const client = useClient();
  const tenant = client.tenant();
  if (tenant === undefined) return null;
  return (
    <button
      type="button"
      class="button small acting"
      title={`Acting for ${tenant}: stop`}
      aria-label={`Acting for ${tenant}: stop`}
      onClick={() => client.actFor(undefined)}
    >
      <span class="acting-for">Acting for {tenant}</span> · stop
    </button>
  );
};
