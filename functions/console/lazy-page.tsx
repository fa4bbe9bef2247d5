import type { JSX } from 'hono/jsx/jsx-runtime';
import { ApiFault } from './fault.ts';
import { Notice } from './ui/notice.tsx';
import { Skeleton } from './ui/parts.tsx';
import { useLoad } from './use-load.ts';

type Component<Props> = (props: Props) => JSX.Element;

/** A page whose code is loaded when it is first opened. */
export const lazyPage =
  <Props extends object>(fetchPage: () => Promise<Component<Props>>): Component<Props> =>
  (props) => {
    const load = useLoad(() => fetchPage().catch(notFetched), []);
    const Page = load.value;
    if (Page) return <Page {...props} />;
    return (
      <div class="page">
        <Notice fault={load.fault} onRetry={() => location.reload()} />
        {!load.fault && <Skeleton rows={8} />}
      </div>
    );
  };

const notFetched = (thrown: unknown): never => {
  throw new ApiFault('Offline', `this page could not be fetched (${(thrown as Error).message}); load it again`);
};
