/** A place in the log of a symbol. */
export interface LogPlace {
  readonly epoch: number;
  readonly ordinal: number;
}

/** Whether a place lies behind another one. */
export function isAfter(place: LogPlace, other: LogPlace): boolean {
  return place.epoch > other.epoch || (place.epoch === other.epoch && place.ordinal > other.ordinal);
}
