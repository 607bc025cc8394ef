/** One result of `doctor`. */
export interface Finding {
  ok: boolean;
  what: string;
}
