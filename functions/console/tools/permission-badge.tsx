import { Badge } from '../ui/parts.tsx';

const SHOWN: Readonly<Record<string, readonly [string, string]>> = {
  confirm: ['warn', 'asks first'],
  dangerous: ['bad', 'dangerous'],
};

/** Nothing for what is safe: only what needs care is marked. */
export const PermissionBadge = ({ permission }: { readonly permission: string }) => {
  const shown = SHOWN[permission];
  return shown ? <Badge tone={shown[0]}>{shown[1]}</Badge> : null;
};
