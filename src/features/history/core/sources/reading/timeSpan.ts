/** First and last time of a session's records. */
export class TimeSpan {
  private first: number | null = null;
  private last: number | null = null;

  add(time: number | null): void {
    if (time === null) return;
    this.first = this.first === null ? time : Math.min(this.first, time);
    this.last = this.last === null ? time : Math.max(this.last, time);
  }

  get startedAt(): number | null {
    return this.first;
  }

  get endedAt(): number | null {
    return this.last;
  }
}
