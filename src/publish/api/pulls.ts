export interface PullRequest {
  owner: string;
  repo: string;
  number: number;
}

/** A pull request as GitHub describes it. */
export interface Pull {
  number: number;
  /** The commit that it would merge. */
  head: string;
}

export interface Pulls {
  /** The open ones from this branch, `octo:feature`. */
  openFrom(head: string): Promise<readonly Pull[]>;
  /** Null: there is none of this number, or it is not open. */
  open(number: number): Promise<Pull | null>;
}
