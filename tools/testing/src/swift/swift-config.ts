import { userInfo } from 'node:os';

/** The servers of one Swift that keep data. */
export const KEEPERS = ['account', 'container', 'object'] as const;
export type Keeper = (typeof KEEPERS)[number];

/** Loopback ports of the servers. */
export interface SwiftPorts extends Readonly<Record<Keeper, number>> {
  readonly proxy: number;
  readonly memcached: number;
}

export interface SwiftUser {
  readonly account: string;
  readonly name: string;
  readonly secret: string;
}

/** One process a server, as the user who runs the test, with rings and data below `folder`. */
function common(folder: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
log_level = WARNING
`;
}

export function keeperConfig(folder: string, keeper: Keeper, ports: SwiftPorts): string {
  return `${common(folder, ports[keeper])}
[pipeline:main]
pipeline = ${keeper}-server

[app:${keeper}-server]
use = egg:swift#${keeper}
allow_versions = true
`;
}

export function proxyConfig(folder: string, ports: SwiftPorts, { account, name, secret }: SwiftUser): string {
  return `${common(folder, ports.proxy)}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth slo dlo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:healthcheck]
use = egg:swift#healthcheck

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${ports.memcached}

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:bulk]
use = egg:swift#bulk

[filter:s3api]
use = egg:swift#s3api
location = us-east-1
dns_compliant_bucket_names = true

[filter:tempauth]
use = egg:swift#tempauth
user_${account}_${name} = ${secret} .admin

[filter:slo]
use = egg:swift#slo

[filter:dlo]
use = egg:swift#dlo
`;
}

/** A program that makes the rings: one device, one copy of everything. */
export function ringProgram(folder: string, ports: SwiftPorts): string {
  const rings = KEEPERS.map((keeper) => `(${JSON.stringify(keeper)}, ${ports[keeper]})`).join(', ');
  return `
import os
from swift.common.ring import RingBuilder
os.makedirs(${JSON.stringify(`${folder}/devices/disk`)}, exist_ok=True)
for name, port in [${rings}]:
    builder = RingBuilder(4, 1, 0)
    builder.add_dev(dict(region=1, zone=1, ip='127.0.0.1', port=port, replication_ip='127.0.0.1', replication_port=port, device='disk', weight=1, meta=''))
    builder.rebalance(seed='1')
    builder.get_ring().save(${JSON.stringify(folder)} + '/' + name + '.ring.gz')
`;
}
