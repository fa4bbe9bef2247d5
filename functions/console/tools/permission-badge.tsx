import { Badge } from '../ui/parts.tsx';

const SHOWN: Readonly<Record<string, readonly [string, string]>> = {
  confirm: ['warn', 'asks first'],
  dangerous: ['bad', 'dangerous'],
};

/** Empty for safe tools, so that only those that need care are marked. */
export const PermissionBadge = ({ permission }: { readonly permission: string }) => {
  const shown = SHOWN[permission];
  return shown ? <Badge tone={shown[0]}>{shown[1]}</Badge> : null;
};
