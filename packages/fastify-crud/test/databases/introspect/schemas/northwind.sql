create table categories (
  category_id smallint not null,
  category_name varchar(15) not null,
  description text,
  picture bytea,
  primary key (category_id)
);
create table customer_customer_demo (
  customer_id varchar(5) not null,
  customer_type_id varchar(5) not null,
  primary key (customer_id, customer_type_id)
);
create table customer_demographics (
  customer_type_id varchar(5) not null,
  customer_desc text,
  primary key (customer_type_id)
);
create table customers (
  customer_id varchar(5) not null,
  company_name varchar(40) not null,
  contact_name varchar(30),
  contact_title varchar(30),
  address varchar(60),
  city varchar(15),
  region varchar(15),
  postal_code varchar(10),
  country varchar(15),
  phone varchar(24),
  fax varchar(24),
  primary key (customer_id)
);
create table employee_territories (
  employee_id smallint not null,
  territory_id varchar(20) not null,
  primary key (employee_id, territory_id)
);
create table employees (
  employee_id smallint not null,
  last_name varchar(20) not null,
  first_name varchar(10) not null,
  title varchar(30),
  title_of_courtesy varchar(25),
  birth_date date,
  hire_date date,
  address varchar(60),
  city varchar(15),
  region varchar(15),
  postal_code varchar(10),
  country varchar(15),
  home_phone varchar(24),
  extension varchar(4),
  photo bytea,
  notes text,
  reports_to smallint,
  photo_path varchar(255),
  primary key (employee_id)
);
create table order_details (
  order_id smallint not null,
  product_id smallint not null,
  unit_price real not null,
  quantity smallint not null,
  discount real not null,
  primary key (order_id, product_id)
);
create table orders (
  order_id smallint not null,
  customer_id varchar(5),
  employee_id smallint,
  order_date date,
  required_date date,
  shipped_date date,
  ship_via smallint,
  freight real,
  ship_name varchar(40),
  ship_address varchar(60),
  ship_city varchar(15),
  ship_region varchar(15),
  ship_postal_code varchar(10),
  ship_country varchar(15),
  primary key (order_id)
);
create table products (
  product_id smallint not null,
  product_name varchar(40) not null,
  supplier_id smallint,
  category_id smallint,
  quantity_per_unit varchar(20),
  unit_price real,
  units_in_stock smallint,
  units_on_order smallint,
  reorder_level smallint,
  discontinued integer not null,
  primary key (product_id)
);
create table region (
  region_id smallint not null,
  region_description varchar(60) not null,
  primary key (region_id)
);
create table shippers (
  shipper_id smallint not null,
  company_name varchar(40) not null,
  phone varchar(24),
  primary key (shipper_id)
);
create table suppliers (
  supplier_id smallint not null,
  company_name varchar(40) not null,
  contact_name varchar(30),
  contact_title varchar(30),
  address varchar(60),
  city varchar(15),
  region varchar(15),
  postal_code varchar(10),
  country varchar(15),
  phone varchar(24),
  fax varchar(24),
  homepage text,
  primary key (supplier_id)
);
create table territories (
  territory_id varchar(20) not null,
  territory_description varchar(60) not null,
  region_id smallint not null,
  primary key (territory_id)
);
create table us_states (
  state_id smallint not null,
  state_name varchar(100),
  state_abbr varchar(2),
  state_region varchar(50),
  primary key (state_id)
);
alter table customer_customer_demo add foreign key (customer_type_id) references customer_demographics (customer_type_id);
alter table customer_customer_demo add foreign key (customer_id) references customers (customer_id);
alter table employee_territories add foreign key (territory_id) references territories (territory_id);
alter table employee_territories add foreign key (employee_id) references employees (employee_id);
alter table employees add foreign key (reports_to) references employees (employee_id);
alter table order_details add foreign key (product_id) references products (product_id);
alter table order_details add foreign key (order_id) references orders (order_id);
alter table orders add foreign key (customer_id) references customers (customer_id);
alter table orders add foreign key (employee_id) references employees (employee_id);
alter table orders add foreign key (ship_via) references shippers (shipper_id);
alter table products add foreign key (category_id) references categories (category_id);
alter table products add foreign key (supplier_id) references suppliers (supplier_id);
alter table territories add foreign key (region_id) references region (region_id);
