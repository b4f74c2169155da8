import problems from './problems.json';

/** Codes never change their meaning. */
export type ProblemCode = keyof typeof problems;

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Markdown for the code's documentation page, like `todo`. */
  readonly means: string;
  readonly todo: string;
}

/** Served by the gateway, listed in the docs, typed in the clients. */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = problems;
