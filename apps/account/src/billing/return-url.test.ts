import { returnAddress } from './return-url';

const baseUrl = 'https://api.example.com';
const allowed = ['https://app.example.com', 'http://127.0.0.1:5173'];

test.each([
  ['', 'https://api.example.com/billing'],
  ['/', 'https://api.example.com/'],
  ['/billing?x=1#y', 'https://api.example.com/billing?x=1#y'],
  ['/a//b', 'https://api.example.com/a//b'],
  ['/../x', 'https://api.example.com/x'],
  ['https://api.example.com/done', 'https://api.example.com/done'],
  ['https://app.example.com', 'https://app.example.com/'],
  ['https://APP.example.com:443/x', 'https://app.example.com/x'],
  ['http://127.0.0.1:5173/x', 'http://127.0.0.1:5173/x'],
])('%j leads to %s', (returnUrl, expected) => {
  expect(returnAddress(returnUrl, baseUrl, allowed)).toBe(expected);
});

test.each([
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' /billing',
  'https://evil.example',
  'https://app.example.com.evil.example',
  'https://app.example.com@evil.example',
  'https://user@app.example.com/',
  'https://user:pass@app.example.com/',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https:app.example.com',
  'https:/app.example.com',
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://app.example.com',
  'billing',
  'null',
  'http://127.0.0.1:5174/',
  `/${'x'.repeat(2_048)}`,
])('%j leads nowhere', (returnUrl) => {
  expect(returnAddress(returnUrl, baseUrl, allowed)).toBeNull();
});
