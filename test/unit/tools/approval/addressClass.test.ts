import { describe, expect, it } from 'vitest';
import { addressClass } from '../../../../src/tools/approval/addressClass';

describe('an address', () => {
  it.each([
    '127.0.0.1', '127.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.0.0.1.', '１２７.0.0.1', '0', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1',
    '169.254.169.254', '2852039166', '0xa9fea9fe', '100.64.0.1', '100.100.100.200', '168.63.129.16', '224.0.0.1', '255.255.255.255', '198.18.0.1',
    '::1', '[::1]', '::', '::ffff:127.0.0.1', '[::ffff:7f00:1]', '::ffff:10.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '2002:7f00:1::', '2002:a9fe:a9fe::1',
    'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'ff02::1', 'fec0::1', '2001:db8::1', '2001::1',
    'localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'printer.local', 'metadata.google.internal', 'router', 'nas.lan', '10.in-addr.arpa', '1.home.arpa',
    '', ' ', '999.1.1.1', '1.2.3.4.5.6.7', 'a b', 'user@example.com', 'example.com/path', '%00',
  ])('%s is local', (host) => {
    expect(addressClass(host)).toBe('local');
  });

  it.each([
    'example.com', 'example.com.', 'EXAMPLE.com', 'bücher.example', '8.8.8.8', '134744072', '172.32.0.1', '172.15.0.1', '100.128.0.1', '192.169.0.1', '2606:4700::1111', '[2606:4700::1111]',
    '::ffff:8.8.8.8', '64:ff9b::808:808', '2002:808:808::', 'local.example.com', 'localhost.example.com',
  ])('%s is public', (host) => {
    expect(addressClass(host)).toBe('public');
  });
});
