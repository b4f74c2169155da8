import type { CommandLine, System } from '@market-state/testing';

/** What the parts of the suite share. */
export interface CliScene {
  readonly system: System;
  /** Of a tenant of its own, with every scope. */
  readonly key: string;
  /** The program, with the system's address and that key. */
  readonly cli: CommandLine;
  /** The folder that its commands run in. */
  readonly folder: string;
}
