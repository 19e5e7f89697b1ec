select page.book_title as title
from (select *
  from "books" as "t0"
  where "t0"."id" = any (array(select "t0"."id"
      from "books" as "t0"
      where "t0"."id" > $1::bigint and "t0"."book_title" <> ''
      order by "t0"."book_title" desc, "t0"."id"
      limit (select $2::bigint) offset (select $3::bigint)))
  order by "t0"."book_title" desc, "t0"."id") as page
