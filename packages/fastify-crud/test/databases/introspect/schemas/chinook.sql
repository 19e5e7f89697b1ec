create table album (
  album_id serial,
  title varchar(160) not null,
  artist_id integer not null,
  primary key (album_id)
);
create table artist (
  artist_id serial,
  name varchar(120),
  primary key (artist_id)
);
create table customer (
  customer_id serial,
  first_name varchar(40) not null,
  last_name varchar(20) not null,
  company varchar(80),
  address varchar(70),
  city varchar(40),
  state varchar(40),
  country varchar(40),
  postal_code varchar(10),
  phone varchar(24),
  fax varchar(24),
  email varchar(60) not null,
  support_rep_id integer,
  primary key (customer_id)
);
create table employee (
  employee_id serial,
  last_name varchar(20) not null,
  first_name varchar(20) not null,
  title varchar(30),
  reports_to integer,
  birth_date timestamp,
  hire_date timestamp,
  address varchar(70),
  city varchar(40),
  state varchar(40),
  country varchar(40),
  postal_code varchar(10),
  phone varchar(24),
  fax varchar(24),
  email varchar(60),
  primary key (employee_id)
);
create table genre (
  genre_id serial,
  name varchar(120),
  primary key (genre_id)
);
create table invoice (
  invoice_id serial,
  customer_id integer not null,
  invoice_date timestamp not null,
  billing_address varchar(70),
  billing_city varchar(40),
  billing_state varchar(40),
  billing_country varchar(40),
  billing_postal_code varchar(10),
  total numeric(10,2) not null,
  primary key (invoice_id)
);
create table invoice_line (
  invoice_line_id serial,
  invoice_id integer not null,
  track_id integer not null,
  unit_price numeric(10,2) not null,
  quantity integer not null,
  primary key (invoice_line_id)
);
create table media_type (
  media_type_id serial,
  name varchar(120),
  primary key (media_type_id)
);
create table playlist (
  playlist_id serial,
  name varchar(120),
  primary key (playlist_id)
);
create table playlist_track (
  playlist_id integer not null,
  track_id integer not null,
  primary key (playlist_id, track_id)
);
create table track (
  track_id serial,
  name varchar(200) not null,
  album_id integer,
  media_type_id integer not null,
  genre_id integer,
  composer varchar(220),
  milliseconds integer not null,
  bytes integer,
  unit_price numeric(10,2) not null,
  primary key (track_id)
);
alter table album add foreign key (artist_id) references artist (artist_id);
alter table customer add foreign key (support_rep_id) references employee (employee_id);
alter table employee add foreign key (reports_to) references employee (employee_id);
alter table invoice add foreign key (customer_id) references customer (customer_id);
alter table invoice_line add foreign key (invoice_id) references invoice (invoice_id);
alter table invoice_line add foreign key (track_id) references track (track_id);
alter table playlist_track add foreign key (playlist_id) references playlist (playlist_id);
alter table playlist_track add foreign key (track_id) references track (track_id);
alter table track add foreign key (album_id) references album (album_id);
alter table track add foreign key (genre_id) references genre (genre_id);
alter table track add foreign key (media_type_id) references media_type (media_type_id);
