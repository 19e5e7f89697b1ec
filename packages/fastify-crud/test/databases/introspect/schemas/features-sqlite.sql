create table Author (
  id integer primary key,
  name text not null collate nocase unique,
  born date,
  active boolean not null default 1,
  joined datetime not null default current_timestamp,
  seen_at timestamp,
  visits int default 0,
  rating real,
  salary decimal(10,2),
  payload json,
  portrait blob,
  code uuid,
  untyped,
  nick text generated always as (lower(name)) virtual
);
create table book (
  isbn varchar(13) primary key not null,
  title text not null,
  author_ID integer not null references author on delete cascade
);
create table tag (
  name text primary key
) without rowid;
create table book_tag (
  book_isbn varchar(13) not null references book (isbn),
  tag text not null references tag (name),
  primary key (book_isbn, tag)
);
create table counter (
  id int primary key,
  value integer not null
);
create table shelf (
  id integer primary key autoincrement,
  parent_id integer references shelf (id) on delete cascade,
  name text not null
);
create table event (
  id text primary key not null,
  at integer not null,
  milliseconds datetime,
  done boolean
);
insert into event values ('7f1de3f0-3c0b-4f5e-9d0a-2f9d6c1b8a11', 1, 1767225600000, 1);
create table flag (
  id integer primary key,
  is_set boolean not null,
  day date
);
insert into flag values (1, 't', '2026-01-31 00:00:00');
create table strict_one (
  id integer primary key,
  amount real not null,
  name text not null
) strict;
create table mixed (
  id integer primary key,
  anything
);
insert into mixed values (1, 'text'), (2, 5);
create virtual table search using fts5(title);
create view titles as select title from book;
