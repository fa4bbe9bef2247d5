import { BlockList, isIP } from 'node:net';

/** Blocks of IANA's special-purpose registries that are not globally reachable, and addresses reserved by clouds. */
const IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's own services, on an address that looks public.
  '168.63.129.16/32',
];

/** Only global unicast is public in IPv6, which excludes loopback, mapped, NAT64, unique local and link-local. */
const GLOBAL_UNICAST = '2000::/3';

/** Exceptions within global unicast: Teredo and other protocols, documentation, 6to4. */
const IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const toBlockList = (blocks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits] = block.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};

const special4 = toBlockList(IPV4, 'ipv4');
const special6 = toBlockList(IPV6, 'ipv6');
const global6 = toBlockList([GLOBAL_UNICAST], 'ipv6');

/** Whether an IP address is publicly reachable. */
export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address);
  if (family === 4) return !special4.check(address, 'ipv4');
  // An address with a zone belongs to one link.
  return family === 6 && !address.includes('%') && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
};
