import { Fault } from '../../kernel/errors.ts';

/** A host that the operator lets sources reach besides public https: at its default ports, or at one port. */
export interface AllowedPlace {
  readonly host: string;
  readonly port?: number | undefined;
}

/** Reads `ASSAY_EGRESS`: hosts, or `host:port`, separated by commas; an IPv6 address is in brackets. */
export const readAllowList = (text: string): readonly AllowedPlace[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(readPlace);

const readPlace = (entry: string): AllowedPlace => {
  const [, written, port] = /^(\[[0-9a-fA-F:.]+\]|[^\s:/@?#[\]]+)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const host = written === undefined ? undefined : URL.parse(`http://${written}`)?.hostname;
  if (!host || Number(port ?? 1) > 65_535 || port === '0')
    throw new Fault(
      'InvalidInput',
      `ASSAY_EGRESS has ${JSON.stringify(entry)}, which is no host or host:port; write 10.0.0.7:8080, [::1]:8080 or tools.internal`,
    );
  return { host: withoutDot(host), port: port === undefined ? undefined : Number(port) };
};

/** Whether the operator allowed an address. */
export const isAllowedPlace = (allowed: readonly AllowedPlace[], url: URL): boolean => {
  const isUsual = url.port === '';
  const port = isUsual ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return allowed.some(
    (place) => place.host === withoutDot(url.hostname) && (place.port === undefined ? isUsual : place.port === port),
  );
};

const withoutDot = (host: string): string => host.replace(/\.$/, '');
