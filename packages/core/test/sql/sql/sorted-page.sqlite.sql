select page.book_title as title
from (select *
  from "books" as "t0"
  where "t0"."id" > ? and "t0"."book_title" <> ''
  order by "t0"."book_title" desc, "t0"."id"
  limit (select ?) offset (select ?)) as page
