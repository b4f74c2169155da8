export type SystemProgram = 'redis' | 'chromium' | 'curl' | 'python';
export function ensurePrograms(wanted: readonly SystemProgram[], say: (line: string) => void): Promise<string>;
export function missingLine(program: SystemProgram, osRelease?: string): string;
