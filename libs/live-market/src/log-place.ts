/** Position in a symbol's log. */
export interface LogPlace {
  readonly epoch: number;
  readonly ordinal: number;
}

export function isAfter(place: LogPlace, other: LogPlace): boolean {
  return place.epoch > other.epoch || (place.epoch === other.epoch && place.ordinal > other.ordinal);
}
