import { readGatewayConfig } from './config';

const ADDRESSES = {
  RPC_TOKEN_FILE: 'token',
  QUOTE_SECRET: 's'.repeat(32),
  LINK_SECRET: 'l'.repeat(32),
  ACCOUNT_ADDRESS: '127.0.0.1:1',
  LABELING_ADDRESS: '127.0.0.1:2',
  DATA_PLANE_ADDRESS: '127.0.0.1:3',
  EXPORT_ADDRESS: '127.0.0.1:4',
  WEBHOOK_ADDRESS: '127.0.0.1:5',
  MCP_ADDRESS: '127.0.0.1:6',
};

it.each(['https://api.example.com', 'http://127.0.0.1:8080', 'https://example.com/market'])(
  'takes %s as the address that specs name',
  (address) => {
    expect(readGatewayConfig({ ...ADDRESSES, PUBLIC_BASE_URL: address }).publicBaseUrl).toBe(address);
  },
);

it.each(['api.example.com', 'ftp://example.com', 'https://example.com/', "https://example.com/'x", 'https://example.com?a=1'])(
  'refuses %s',
  (address) => {
    expect(() => readGatewayConfig({ ...ADDRESSES, PUBLIC_BASE_URL: address })).toThrow(/PUBLIC_BASE_URL/);
  },
);

it('leaves the address to the server where none is set', () => {
  expect(readGatewayConfig(ADDRESSES).publicBaseUrl).toBeUndefined();
});

it.each(['QUOTE_SECRET', 'LINK_SECRET'])('needs a %s that is long enough', (name) => {
  expect(() => readGatewayConfig({ ...ADDRESSES, [name]: 's'.repeat(31) })).toThrow(name);
});

it('takes origins and proxies as comma lists, none by default', () => {
  expect(readGatewayConfig(ADDRESSES)).toMatchObject({ allowedOrigins: [], trustedProxies: [] });
  const read = readGatewayConfig({
    ...ADDRESSES,
    ALLOWED_ORIGINS: 'https://a.example, http://localhost:3000',
    TRUSTED_PROXIES: '10.0.0.0/8,::1',
  });
  expect(read).toMatchObject({ allowedOrigins: ['https://a.example', 'http://localhost:3000'], trustedProxies: ['10.0.0.0/8', '::1'] });
});

it('takes names and the share of an address, 200 connections by default', () => {
  expect(readGatewayConfig(ADDRESSES)).toMatchObject({ publicHosts: [], connectionsPerAddress: 200 });
  const read = readGatewayConfig({ ...ADDRESSES, PUBLIC_HOSTS: 'api.example.com, 10.0.0.5,[2001:db8::1]', CONNECTIONS_PER_ADDRESS: '50' });
  expect(read).toMatchObject({ publicHosts: ['api.example.com', '10.0.0.5', '[2001:db8::1]'], connectionsPerAddress: 50 });
});

it.each([
  ['PUBLIC_HOSTS', 'https://api.example.com'],
  ['PUBLIC_HOSTS', 'api.example.com:8443'],
  ['PUBLIC_HOSTS', '*'],
  ['CONNECTIONS_PER_ADDRESS', '0'],
  ['ALLOWED_ORIGINS', 'https://a.example/'],
  ['ALLOWED_ORIGINS', '*'],
  ['ALLOWED_ORIGINS', 'a.example'],
  ['TRUSTED_PROXIES', 'proxy.example'],
  ['TRUSTED_PROXIES', '10.0.0.0/40'],
])('refuses %s=%s', (name, value) => {
  expect(() => readGatewayConfig({ ...ADDRESSES, [name]: value })).toThrow(new RegExp(name));
});
