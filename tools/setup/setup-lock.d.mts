import type { Server } from 'node:net';

export function withSetupLock<Result>(folder: string, say: (line: string) => void, work: () => Promise<Result>): Promise<Result>;
export function lockAddress(folder: string, platform?: string): string;
export function listen(address: string): Promise<Server | undefined>;
