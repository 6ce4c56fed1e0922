import { expect, it } from 'vitest';
import { webPage } from '../../../src/tools/webPage';

it.each([
  ['https://pay.example/order?a=%26b#c', 'https://pay.example/order?a=%26b#c'],
  ['HTTPS://Pay.Example', 'https://pay.example/'],
  ['https://gіthub.com/login', 'https://xn--gthub-n2e.com/login'],
  ['http://127.0.0.1:3000/x', 'http://127.0.0.1:3000/x'],
  ['http://localhost/x', 'http://localhost/x'],
  ['http://[::1]:1/x', 'http://[::1]:1/x'],
])('%s is opened as %s', (address, opened) => {
  expect(webPage(address)?.href).toBe(opened);
});

it.each([
  'https://github.com@evil.example/',
  'https://github.com\\@evil.example/',
  'https://user:word@pay.example/',
  'https://pay.example\\@evil.example',
  'http://pay.example/',
  'http://127.0.0.1.evil.example/',
  'file:///etc/passwd',
  'command:workbench.action.quit',
  'no address',
  `https://pay.example/${'x'.repeat(4000)}`,
])('%s is never opened', (address) => {
  expect(webPage(address)).toBeNull();
});
