/** Row that a page of a list, newest first, starts after. */
export interface ListPlace {
  readonly atMs: number;
  readonly id: string;
}

export interface ListPage {
  readonly after?: ListPlace | undefined;
  readonly limit: number;
}
