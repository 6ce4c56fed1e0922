import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** local: this machine, its network, non-public addresses, and text that is not a valid host. public: everything
 *  else. */
export type AddressClass = 'public' | 'local';

/** IPv4 ranges outside the public internet (IANA special-purpose registry), and metadata services in public ranges. */
const local4 = blockList(
  'ipv4',
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
    '168.63.129.16/32',
);

/** Non-public parts of 2000::/3, which is the only public range. */
const local6 = blockList('ipv6', '2001::/23 2001:db8::/32 3fff::/20');
const public6 = blockList('ipv6', '2000::/3');

/** IPv6 prefixes that embed an IPv4 address: mapped, translated (NAT64), 6to4. `at` is the index of the first of its
 *  two groups. */
const carriers6 = [
  { range: blockList('ipv6', '::ffff:0:0/96 64:ff9b::/96'), at: 6 },
  { range: blockList('ipv6', '2002::/16'), at: 1 },
];

const localNames = /^(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|arpa|test|invalid|onion)$/;

/** Class of a host as written in a URL, or of an address that a name resolved to. Forms that resolvers accept as an
 *  address (decimal, hexadecimal, octal, shortened, full-width, IPv4 in IPv6) count as that address. A public name
 *  says nothing about its addresses: check each of them before connecting. */
export function addressClass(host: string): AddressClass {
  const name = canonicalHost(host);
  if (name === null) return 'local';
  if (isIPv4(name)) return local4.check(name, 'ipv4') ? 'local' : 'public';
  if (isIPv6(name)) return classOf6(name);
  const labels = name.split('.');
  return labels.length < 2 || localNames.test(labels.at(-1) ?? '') ? 'local' : 'public';
}

/** Host as the URL standard writes it, without brackets, zone, and trailing dot. Null when the text is not a host. */
function canonicalHost(host: string): string | null {
  const bare = host
    .trim()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, (zone) => (host.includes(':') ? '' : zone));
  if (bare === '' || /[\s/?#@\\]/.test(bare)) return null;
  try {
    const parsed = new URL(`http://${isIPv6(bare) ? `[${bare}]` : bare}/`).hostname
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.+$/, '');
    return parsed === '' ? null : parsed;
  } catch {
    return null;
  }
}

function classOf6(address: string): AddressClass {
  for (const { range, at } of carriers6) {
    if (range.check(address, 'ipv6')) return addressClass(embedded4(address, at));
  }
  return public6.check(address, 'ipv6') && !local6.check(address, 'ipv6') ? 'public' : 'local';
}

function embedded4(address: string, at: number): string {
  const [head = '', tail] = address.split('::');
  const groups = (part: string | undefined): readonly string[] =>
    part === undefined || part === '' ? [] : part.split(':');
  const missing = 8 - groups(head).length - groups(tail).length;
  const all =
    tail === undefined ? groups(head) : [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  return all
    .slice(at, at + 2)
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255])
    .join('.');
}

function blockList(type: 'ipv4' | 'ipv6', ranges: string): BlockList {
  const list = new BlockList();
  for (const range of ranges.split(' ')) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), type);
  }
  return list;
}
