create type mood as enum ('fine', 'it''s "so" so');
create domain price as numeric(8,2) check (value >= 0);
create table company (
  company_id integer generated always as identity primary key,
  "full name" text not null,
  "and" text,
  "in" integer default 3,
  id integer,
  mood mood not null default 'it''s "so" so',
  moods mood[],
  worth price not null default 0,
  initials text generated always as (left("full name", 1)) stored
);
comment on table company is 'A firm. */ }); throw new Error(''never code''); ({ /*';
comment on column company."and" is E'two\nlines \\ and "quotes"';
create table department (
  id uuid primary key default gen_random_uuid(),
  name varchar(40) not null,
  company_id integer not null references company on delete cascade,
  unique (company_id, name)
);
create table badge (
  company_id integer primary key references company on delete cascade,
  number text not null unique
);
create table person (
  id uuid primary key,
  name text not null,
  department_id uuid references department on delete set null,
  manager_id uuid references person,
  companyid integer not null references company on delete restrict
);
create table folder (
  id bigserial primary key,
  name text not null,
  parent_id bigint references folder on delete cascade
);
create table note (
  id bigserial primary key,
  text text not null,
  author_id uuid not null references person on delete cascade,
  folder_id bigint not null references folder on delete cascade,
  reviewer_id uuid references person,
  written_at timestamptz not null default now(),
  opened_at time,
  span int4range,
  spans nummultirange,
  valid_during tstzrange,
  open_during tsrange,
  printed_on daterange,
  "password_hash" text
);
create table seat (
  row_number integer not null,
  letter char(1) not null,
  taken_by uuid references person,
  primary key (row_number, letter)
);
create table holiday (
  day date primary key,
  name text not null
);
create table person_holiday (
  person_id uuid not null references person,
  day date not null references holiday,
  primary key (person_id, day)
);
create table job (
  person_id uuid not null references person,
  company_id integer not null references company,
  title text not null,
  primary key (person_id, company_id)
);
create table measurement (
  id bigint not null,
  taken_at timestamptz not null,
  value double precision not null,
  primary key (id, taken_at)
) partition by range (taken_at);
create table measurement_all partition of measurement default;
create table "Odd-Table 1" (
  "Key" text primary key,
  "a.b" integer not null,
  "__proto__" text
);
create table large (
  id bigint primary key,
  name text not null
);
insert into large values (9007199254740995, 'beyond');
create table only_unique (
  code text not null unique,
  name text not null
);
create table without_key (
  name text
);
create table place (
  id serial primary key,
  at point not null
);
create view fine_company as select * from company where mood = 'fine';
create materialized view company_names as select "full name" from company;
